ubiheap nodes --limit many tiny-before.fxsnapshot
