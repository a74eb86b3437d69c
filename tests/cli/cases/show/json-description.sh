ubiheap show --json --limit 1 -b label two.fxsnapshot 2
