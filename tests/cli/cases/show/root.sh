ubiheap show --limit 2 two.fxsnapshot 1
