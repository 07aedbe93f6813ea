# cmake -DOUT=x.c -DHEADER=review/review_page.h -DTABLE=jsni_review_page -DFILES="a.html;b.css" -P JsnEmbed.cmake -
# writes TABLE and TABLE_count, which HEADER declares (core/embedded.h), from files.
set(arrays "")
set(rows "")
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")
set(type_py "text/x-python; charset=utf-8")
set(number 0)
foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    get_filename_component(ending ${file} LAST_EXT)
    string(SUBSTRING ${ending} 1 -1 ending)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
    string(APPEND arrays "static const unsigned char file_${number}[] = {\n${bytes}};\n\n")
    string(APPEND rows "    {\"${name}\", \"${type_${ending}}\", file_${number}, sizeof file_${number}},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "/* Written by cmake/JsnEmbed.cmake. */
#include \"${HEADER}\"

${arrays}const jsni_embedded ${TABLE}[] = {
${rows}};
const size_t ${TABLE}_count = ${number};
")
