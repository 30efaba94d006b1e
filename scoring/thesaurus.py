"""Words of software documentation that stand for one another: users say delete, manuals say remove.

A small general table, so that a question need not be asked in the words of the site. It knows nothing of
any site; what the site itself calls a thing, no table can know. Words of one line are alternatives of each
other; a word may stand in several lines. A match by an alternative counts less than one by the word itself,
and only beside one (see ``links``): alone, common verbs such as these would match every other link.
"""

from functools import cache

from .text import token_terms

_ENGLISH = """
add append insert attach include
alter change modify edit update adjust amend
allow permit enable grant authorize
alias nickname synonym shortcut
argument parameter option flag switch
array list sequence vector
authenticate login signin credential identity
authorization permission privilege right access role
backup dump snapshot archive export
begin start launch open initiate boot
blank empty null void
break split divide separate cut partition
broken corrupt damaged faulty invalid
bug defect issue fault
build compile make construct assemble
buy purchase order
cache memoize buffer
calculate compute evaluate count
cancel abort stop undo interrupt
chart graph plot diagram figure
check verify validate test inspect
choose select pick
clean purge clear vacuum prune
clear erase wipe reset
combine merge join concatenate squash unite consolidate
command instruction statement directive
compare diff difference contrast
compress zip pack shrink
concurrent parallel simultaneous multithreading asynchronous
config configuration configure setting preference setup option
connect link attach bind
connection session link
constraint restriction limit rule
convert transform translate cast change export
copy duplicate clone replicate mirror
crash failure panic abort
create make new generate produce define
customize personalize tailor
debug troubleshoot diagnose
default standard initial
delay wait sleep pause timeout
delete remove drop erase discard destroy
dependency requirement prerequisite
deploy release publish ship rollout
detect discover recognize identify
dictionary map hash mapping
directory folder path
disable deactivate off suppress
disk storage drive volume
display show view print render present
document file
download fetch retrieve get pull
duplicate repeated redundant copy
encrypt encode cipher secure ssl tls
environment context
error exception failure fault problem
example sample demo tutorial
exclude ignore skip omit
execute run invoke call perform
exit quit end terminate close leave
expand extend enlarge grow
expire timeout lapse
expose publish reveal
extension plugin addon module
extract parse pull unpack
fast quick performance speed efficient optimize
field column attribute property
find search locate lookup seek discover
fix repair correct resolve patch
float decimal
font typeface
forbid deny block prevent reject refuse prohibit
format layout style
forward redirect relay
freeze lock pin fix
function method procedure routine subroutine
group category class cluster collection
guide tutorial howto manual handbook
header heading title
hide conceal collapse
history log record
host server machine computer node
image picture photo graphic
import load ingest read
improve enhance optimize tune
increase raise grow increment
inherit derive subclass
install setup deploy
interface api
interrupt signal break
invite add
job task work process
kill terminate stop
language locale
latest newest recent last current
library package module
limit restrict quota maximum cap bound threshold
listen watch monitor observe
lock mutex exclusive
log journal record trace
loop iterate repeat cycle
loss lose lost missing
mail email message
manage administer control
match compare fit
memory ram heap
migrate move transfer port
mistake error
move relocate transfer shift
name label title rename
network connection
notify alert warn inform
number integer numeric digit
object instance entity
old obsolete deprecated legacy previous
order sort arrange rank
output result
overview introduction summary
part portion piece section subset partial
password passphrase secret credential
permission privilege access grant
pipe stream channel
port socket
preview draft
previous prior earlier former last
print output display
private secret hidden confidential
problem issue trouble error
process program task
program script application software app
protect secure guard
query search select request
queue buffer backlog
quick fast rapid
random arbitrary
read load parse
recover restore rescue retrieve
refresh reload update
register enroll signup subscribe
relation relationship association
remember store save cache
remote distant
rename move
repeat duplicate recur
replace substitute swap exchange
report summary
repository repo project
request query call
require need demand
resize scale
restart reboot reload
restore recover revert
restrict limit confine
return yield give
reverse revert undo invert
revert undo rollback reset restore
row record tuple line
run execute launch start
safe secure
save store persist write keep
schedule cron timer plan
scroll pan
security safety protection
send transmit post deliver
share distribute
shut close
simple basic easy
size length dimension
slow latency performance
source origin
space whitespace blank
standby replica secondary
state status condition
stop halt end terminate prevent
string text
structure schema layout
style format theme
submit send commit
subprocess child process
table grid
template pattern
temporary transient
terminal console shell
thread worker
throw raise
tree hierarchy
trigger event fire
type kind class
undo revert rollback cancel
unique distinct
unlock release
upgrade update migrate
upload push send
url link address
user account member
variable value
version revision release
visible shown
wait block pause sleep
warning alert
window pane dialog
write save output
wrong incorrect invalid error
zip compress archive
"""

_CHINESE = """
删除 去掉 移除 清除
修改 更改 改变 编辑 变更
添加 新增 加入 增加 插入
创建 新建 建立 生成 制作
打开 启动 开启 运行 执行
关闭 退出 停止 结束 终止
查找 搜索 寻找 查询 检索
配置 设置 选项 设定
错误 问题 故障 异常 出错
图片 图像 图形
复制 拷贝 副本
登录 登陆 认证
密码 口令
保存 存储 储存
恢复 还原 撤销 找回
合并 组合 汇总
拆分 分割 分开
导出 输出 导入
显示 查看 展示 预览
升级 更新 迁移
权限 授权 许可
备份 快照 存档
文件 文档
用户 账户 账号 帐户
快捷 快速 加速
注释 批注 评论
"""


def alternatives(term: str) -> tuple[str, ...]:
    """Terms that may stand for a term, in the order of the table; none for most."""
    return _table().get(term, ())


@cache
def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, dict[str, None]] = {}
    for line in (_ENGLISH + _CHINESE).split("\n"):
        group = [token_terms(word)[-1] for word in line.split()]
        for term in group:
            table.setdefault(term, {}).update((other, None) for other in group if other != term)
    return {term: tuple(others) for term, others in table.items()}
