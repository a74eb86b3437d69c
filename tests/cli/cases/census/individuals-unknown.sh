ubiheap census -b objectClass --individuals 4000 two.fxsnapshot
