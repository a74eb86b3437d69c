ubiheap diff -b @- two.fxsnapshot - < two.fxsnapshot
