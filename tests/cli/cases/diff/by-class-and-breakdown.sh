ubiheap diff --by class -b count two.fxsnapshot two.fxsnapshot
ubiheap diff --by class --inverted two.fxsnapshot two.fxsnapshot
