printf secret > key
ubiheap convert --anonymize-key key tiny-before.fxsnapshot copy.fxsnapshot
