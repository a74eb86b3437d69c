ubiheap census --fail-on 'bites > 1MiB' no-such-file
