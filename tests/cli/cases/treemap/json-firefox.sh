ubiheap treemap --json --depth 1 --compat firefox tiny-before.fxsnapshot
