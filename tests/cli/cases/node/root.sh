ubiheap node --limit 2 two.fxsnapshot 1
