ubiheap treemap -b @- - < two.fxsnapshot
