ubiheap diff text.txt two.fxsnapshot
