ubiheap census --fail-on 'growth > 1MiB' no-such-file
