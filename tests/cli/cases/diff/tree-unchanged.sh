ubiheap diff -b count two.fxsnapshot two.fxsnapshot
