ubiheap report sampled.ubirec
LC_ALL=C ubiheap report --by peak sampled.ubirec
ubiheap report --by temporary sampled.ubirec | tail -n +9
