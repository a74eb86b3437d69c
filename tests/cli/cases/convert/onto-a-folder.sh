ubiheap convert -f fxsnapshot two.fxsnapshot directory
