for group in file module thread kind size lifetime; do ubiheap allocations --group $group server.ubirec; done
ubiheap allocations --group file --limit 2 --from 400 --to 600 server.ubirec
ubiheap allocations --group size sampled.ubirec
ubiheap allocations --group module --by count stripped.ubirec
ubiheap allocations --group thread idle.ubirec
ubiheap allocations --timeline server.ubirec
COLUMNS=40 ubiheap allocations --timeline --limit 2 --from 1s growing.ubirec
ubiheap allocations --timeline idle.ubirec
ubiheap allocations --timeline --limit 1 --json few.ubirec | head -c 300
ubiheap allocations --group size --by peak server.ubirec; echo $?
ubiheap allocations --group file --callers 2 server.ubirec; echo $?
ubiheap allocations --timeline --group file server.ubirec; echo $?
ubiheap allocations --timeline --with-callees server.ubirec; echo $?
ubiheap allocations --group file two.fxsnapshot; echo $?
cat server.ubirec | ubiheap allocations --timeline -; echo $?
