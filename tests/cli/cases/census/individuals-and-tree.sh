ubiheap census --tree --individuals 1 two.fxsnapshot
