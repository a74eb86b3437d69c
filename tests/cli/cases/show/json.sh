ubiheap show --json --limit 2 tiny-before.fxsnapshot 1810879808088
