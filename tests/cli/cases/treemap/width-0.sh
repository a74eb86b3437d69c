ubiheap treemap --width 0 two.fxsnapshot
