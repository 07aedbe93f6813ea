# jensen augment: operations with known pixels, contact sheets, refusals; show; bench.
. "$(dirname "$0")/cli.sh"

# A 4x2 image, binary PPM: red, green, blue, white / black, grey, and two more.
{ printf 'P6\n4 2\n255\n'; printf '\377\0\0\0\377\0\0\0\377\377\377\377'
  printf '\0\0\0\200\200\200\012\024\036\310\226\144'; } >in.ppm
bytes() { tail -c 24 "$1" | od -An -v -tu1 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }
same() {
    cases=$((cases + 1))
    [ "$(bytes "$1")" = "$2" ] || {
        failures=$((failures + 1))
        echo "FAILED: $1 has pixels $(bytes "$1"), expected $2"
    }
}

expect 0 '' '' -- "$JENSEN" augment in.ppm --op Invert --out out.ppm
same out.ppm '0 255 255 255 0 255 255 255 0 0 0 0 255 255 255 127 127 127 245 235 225 55 105 155'
expect 0 '' '' -- "$JENSEN" augment in.ppm --op flip -o out.ppm
same out.ppm '255 255 255 0 0 255 0 255 0 255 0 0 200 150 100 10 20 30 128 128 128 0 0 0'
expect 0 '' '' -- "$JENSEN" augment in.ppm --op TRANSLATEXABS --value -1 --out out.ppm
same out.ppm '0 0 0 255 0 0 0 255 0 0 0 255 0 0 0 0 0 0 128 128 128 10 20 30'
expect 0 '' '' -- "$JENSEN" augment in.ppm --op Solarize --value 128 --out out.ppm
same out.ppm '0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 127 127 127 10 20 30 55 105 100'
expect 0 '' '' -- "$JENSEN" augment in.ppm --op cutoutabs --value 1 --at 1.6,1.2 --out out.ppm
same out.ppm '255 0 0 125 123 114 125 123 114 255 255 255 0 0 0 125 123 114 125 123 114 200 150 100'

# The conversions, as Pillow 9.4 has them.
expect 0 '' '' -- "$JENSEN" augment in.ppm --op gray --out out.ppm
same out.ppm '76 76 76 150 150 150 29 29 29 255 255 255 0 0 0 128 128 128 18 18 18 159 159 159'
expect 0 '' '' -- "$JENSEN" augment in.ppm --op hsv --out out.ppm
same out.ppm '0 255 255 85 255 255 170 255 255 0 0 255 0 0 0 0 0 128 148 170 30 21 127 200'
expect 0 '' '' -- "$JENSEN" augment in.ppm --op hsv_and_back --out out.ppm
same out.ppm "$(bytes in.ppm)"
expect 0 '' '' -- "$JENSEN" augment in.ppm --op smooth --out out.ppm
same out.ppm "$(bytes in.ppm)" # all of it is border
expect 0 'HSV_and_back' '' -- "$JENSEN" show augment

expect 0 '' '' -- "$JENSEN" augment in.ppm --pipeline weak --copies 9 --zoom 1 --out sheet.ppm
expect 0 '20 14' '' -- sed -n 2p sheet.ppm
expect 0 '' '' -- "$JENSEN" augment in.ppm --pipeline weak --copies 9 --zoom 1 --out again.ppm
expect 0 '' '' -- cmp sheet.ppm again.ppm
expect 0 '' '' -- "$JENSEN" augment in.ppm --pipeline weak --copies 9 --zoom 1 --seed 1 --out other.ppm
expect 1 '*' '' -- cmp -s sheet.ppm other.ppm
expect 0 '' '' -- "$JENSEN" augment in.ppm --pipeline jitter --size 16 --copies 4 --out s.ppm

expect 2 '' "no operation 'Rotat'; did you mean 'Rotate'" -- "$JENSEN" augment in.ppm --op Rotat --out o.ppm
expect 2 '' "no operation 'banana' .there are: .*AutoContrast" -- "$JENSEN" augment in.ppm --op banana --out o.ppm
expect 2 '' 'either --op or --pipeline' -- "$JENSEN" augment in.ppm --out o.ppm
expect 2 '' 'either --op or --pipeline' -- "$JENSEN" augment in.ppm --op Flip --pipeline weak --out o.ppm
expect 2 '' 'needs --out' -- "$JENSEN" augment in.ppm --op Flip
expect 2 '' 'needs one image' -- "$JENSEN" augment --op Flip --out o.ppm
expect 2 '' 'not X,Y' -- "$JENSEN" augment in.ppm --op CutoutAbs --at 3 --out o.ppm
expect 2 '' "no pipeline or stage 'stronk'" -- "$JENSEN" augment in.ppm --pipeline stronk --out o.ppm
expect 3 '' 'missing.ppm' -- "$JENSEN" augment missing.ppm --op Flip --out o.ppm
expect 3 '' 'centercrop' -- "$JENSEN" augment in.ppm --pipeline centercrop --size 9 --out o.ppm
expect 1 '' 'no/such' -- "$JENSEN" augment in.ppm --op Flip --out no/such/o.ppm
expect 0 'contact sheet' '' -- "$JENSEN" augment --help
expect 0 'TranslateYabs' '' -- "$JENSEN" show augment
expect 0 'strong +CIFAR training' '' -- "$JENSEN" show augment
expect 0 '"case":"weak".*"images_per_second":[0-9.]+.*"peak_mib":[0-9.]+' '' -- \
    "$JENSEN" bench augment --pipeline weak --repeats 1 --json
expect 0 'images/s/core' '' -- "$JENSEN" bench augment --pipeline none --repeats 1 --threads 2
expect 2 '' 'no pipeline' -- "$JENSEN" bench augment --pipeline stronk
finish
