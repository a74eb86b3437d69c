# A file without a command is a report on it, wherever the options stand, and from standard input.
f=tiny-before.fxsnapshot
ubiheap report $f > report && ubiheap $f > alone && cmp report alone
ubiheap report --json $f > report && ubiheap --json $f > alone && cmp report alone
ubiheap report $f --detail > report && ubiheap $f --detail > alone && cmp report alone
ubiheap report - < $f > report && ubiheap - < $f > alone && cmp report alone
ubiheap report --limit 3 server.ubirec > report && ubiheap server.ubirec --top 3 > alone && cmp report alone
ubiheap --limit=3 server.ubirec > alone && cmp report alone
