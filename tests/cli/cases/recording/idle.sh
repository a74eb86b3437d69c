ubiheap report idle.ubirec
ubiheap report --format tsv idle.ubirec
