ubiheap convert -f xml tiny-before.fxsnapshot copy.xml
