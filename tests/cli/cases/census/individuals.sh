ubiheap census -b objectClass --individuals 3,7 -n 4 tiny-before.fxsnapshot
