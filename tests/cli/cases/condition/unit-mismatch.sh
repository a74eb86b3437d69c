ubiheap report --fail-on 'count(Session) > 1MiB' two.fxsnapshot
