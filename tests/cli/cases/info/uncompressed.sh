gzip -dc tiny-before.fxsnapshot > plain.fxsnapshot
ubiheap info plain.fxsnapshot | sed "s/^\(Memory\|Loaded in\).*/\1 .../"
