ubiheap treemap --height 65537 two.fxsnapshot
