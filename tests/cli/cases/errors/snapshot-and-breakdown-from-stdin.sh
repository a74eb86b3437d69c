ubiheap census -b @- - < tiny-before.fxsnapshot
