ubiheap report --by temporary --stack-depth 1 --no-symbols server.ubirec
ubiheap report --by count --top 1 --site parse server.ubirec
ubiheap report --by leaked --site nothing server.ubirec
ubiheap report --detail server.ubirec | sed -n '/Not freed   Share/,/^$/p'
