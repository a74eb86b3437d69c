ubiheap treemap --by retain two.fxsnapshot
