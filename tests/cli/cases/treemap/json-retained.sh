ubiheap treemap --json --by retained --depth 1 two.fxsnapshot
