ubiheap show tiny-before.fxsnapshot 1810879754456 > show && ubiheap node tiny-before.fxsnapshot 1810879754456 > node && cmp show node
ubiheap help show > show && ubiheap help node > node && ubiheap node --help > option && cmp show node && cmp show option
