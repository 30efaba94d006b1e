"""What users install is what the tree holds, whichever way they install it.

The wheel is built from the sdist, as an installer of a release does: a wrong file selection there makes
a wheel that silently lacks the code. Builds use the build backend that is installed, so nothing is
fetched; the fresh environment borrows the dependencies of the one that runs the tests.
"""

import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("cli", "crawler", "scoring", "output")
SHELL = ("__init__.py", "__main__.py", "py.typed")


def run(*words: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def code_files() -> set[str]:
    """Every file of the four folders, by its path from the root."""
    return {
        file.relative_to(ROOT).as_posix()
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a fresh environment that holds the wheel."""
    home = tmp_path_factory.mktemp("fresh") / "venv"
    return fresh_environment(home, next(dist.glob("*.whl")))


def fresh_environment(home: Path, *requirement: str | Path) -> Path:
    """Make an environment with one thing installed; dependencies are found where the tests run."""
    venv.create(home, symlinks=True)
    python = home / "bin" / "python"
    site_packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    # A path in a .pth is searched for modules, but its own .pth files are not read: the editable install
    # of the environment that runs the tests stays out of sight.
    Path(site_packages, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    run(
        sys.executable,
        *("-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index"),
        *("--no-build-isolation", "--no-compile", "--disable-pip-version-check"),
        *requirement,
    )
    return home / "bin"


def test_the_sdist_holds_the_code_and_what_belongs_to_it(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        members = [member for member in archive.getmembers() if not member.isdir()]
    assert all(member.isfile() for member in members), "links do not survive on every system"
    files = {member.name.partition("/")[2] for member in members}
    beside = {"PKG-INFO", "pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "config.example.yaml"}
    assert files - {".gitignore"} == code_files() | {f"src/adaptive_crawl/{name}" for name in SHELL} | beside


def test_the_wheel_made_from_the_sdist_holds_every_file_of_the_tree_and_no_other(dist: Path) -> None:
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as archive:
        files = {name for name in archive.namelist() if ".dist-info/" not in name}
        metadata = {name.partition("/")[2] for name in archive.namelist() if ".dist-info/" in name}
    assert files == {f"adaptive_crawl/{path}" for path in code_files() | set(SHELL)}
    assert {"licenses/LICENSE", "entry_points.txt"} <= metadata


def test_every_module_of_the_wheel_can_be_imported(installed: Path) -> None:
    modules = sorted(
        "adaptive_crawl." + path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        for path in code_files()
        if path.endswith(".py")
    )
    code = (
        "import importlib, adaptive_crawl, sys\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
        "print(adaptive_crawl.__file__)"
    )
    where = run(installed / "python", "-c", code, *modules, cwd=installed)
    assert Path(where.strip()).is_relative_to(installed.parent)


def test_the_installed_command_works(installed: Path) -> None:
    from adaptive_crawl import __version__

    assert run(installed / "adaptive-crawl", "--version", cwd=installed).strip().endswith(__version__)
    assert (
        run(installed / "python", "-m", "adaptive_crawl", "--version", cwd=installed)
        .strip()
        .endswith(__version__)
    )


@pytest.mark.parametrize("how", [(), ("--editable",)], ids=["folder", "editable"])
def test_a_checkout_can_be_installed(how: tuple[str, ...], tmp_path: Path) -> None:
    bin_folder = fresh_environment(tmp_path / "venv", *how, ROOT)
    assert "adaptive-crawl" in run(bin_folder / "adaptive-crawl", "--version", cwd=tmp_path)
    code = "import adaptive_crawl; print(adaptive_crawl.__file__)"
    where = run(bin_folder / "python", "-c", code, cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(ROOT if how else tmp_path)
