ubiheap info nowhere.fxsnapshot
