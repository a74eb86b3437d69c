ubiheap treemap --by retained -b objectClass two.fxsnapshot
