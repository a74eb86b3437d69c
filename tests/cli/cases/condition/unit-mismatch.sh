ubiheap report --fail-on 'count(Session) > 1MiB' no-such-file
