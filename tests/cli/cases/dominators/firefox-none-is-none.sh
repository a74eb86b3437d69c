ubiheap dominators --compat firefox --json --depth 0 two.fxsnapshot
ubiheap dominators --compat firefox --json --siblings 0 two.fxsnapshot
ubiheap dominators --json --siblings 0 two.fxsnapshot
