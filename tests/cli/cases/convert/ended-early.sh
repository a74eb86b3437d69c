# A file that lost its trailer is read, and the copy is whole.
head -c -8 tiny-before.fxsnapshot > cut.fxsnapshot
ubiheap convert -c none cut.fxsnapshot copy.fxsnapshot
