ubiheap census --fail-on 'matches > 1' no-such-file
