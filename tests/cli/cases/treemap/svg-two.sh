ubiheap treemap two.fxsnapshot
