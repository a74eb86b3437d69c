ubiheap allocations server.ubirec
COLUMNS=100 ubiheap allocations --with-callees --callers 2 --limit 3 --by peak server.ubirec
LC_ALL=C ubiheap allocations --callers 1 --limit 1 --by count growing.ubirec
ubiheap allocations --limit 1 sampled.ubirec
ubiheap allocations idle.ubirec
ubiheap allocations --json --limit 1 --callers 1 crashed.ubirec
ubiheap allocations --timeline server.ubirec; echo $?
ubiheap allocations --by peak tiny-before.fxsnapshot; echo $?
