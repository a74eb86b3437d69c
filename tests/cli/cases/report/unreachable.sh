ubiheap report unreachable.fxsnapshot
