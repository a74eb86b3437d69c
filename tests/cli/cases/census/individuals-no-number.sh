ubiheap census --individuals 1,x two.fxsnapshot
