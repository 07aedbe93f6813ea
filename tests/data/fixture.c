/* tests/data/fixture.c - see fixture.h. */
#define _POSIX_C_SOURCE 200809L
#include "fixture.h"

#include <sys/stat.h>

const char *fixture_path(const char *folder, const char *name)
{
    static char buffers[8][1024];
    static unsigned next;
    char *to = buffers[next++ % 8];
    (void)snprintf(to, sizeof buffers[0], "%s/%s", folder, name);
    return to;
}

void fixture_file(const char *folder, const char *name, const void *bytes,
                  size_t length)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
        fail_msg("%s: cannot be written", path);
}

uint8_t fixture_pixel(unsigned seed, size_t offset)
{
    return (uint8_t)(seed * 31 + offset * 7 + offset / 5);
}

size_t fixture_ppm(uint8_t *to, size_t room, size_t width, size_t height, unsigned seed)
{
    const int head = snprintf((char *)to, room, "P6\n%zu %zu\n255\n", width, height);
    const size_t bytes = width * height * 3;
    assert_true(head > 0 && (size_t)head + bytes <= room);
    for (size_t i = 0; i < bytes; i++)
        to[(size_t)head + i] = fixture_pixel(seed, i);
    return (size_t)head + bytes;
}

void fixture_image(const char *folder, const char *name, size_t width, size_t height,
                   unsigned seed)
{
    uint8_t bytes[100000];
    fixture_file(folder, name, bytes,
                 fixture_ppm(bytes, sizeof bytes, width, height, seed));
}

void fixture_check(const jsn_dataset *data, jsn_split split, size_t index, size_t width,
                   size_t height, unsigned seed)
{
    jsn_image image = {0};
    assert_ok(jsn_dataset_image(data, split, index, &image));
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    for (size_t i = 0; i < width * height * 3; i++)
        if (image.data[i] != fixture_pixel(seed, i))
            fail_msg("%s: byte %zu differs", jsn_dataset_path(data, split, index), i);
    jsn_image_release(&image);
}

void fixture_tar_begin(fixture_tar *tar, const char *path)
{
    tar->file = fopen(path, "wb");
    assert_non_null(tar->file);
}

void fixture_tar_add(fixture_tar *tar, const char *name, size_t name_length, char type,
                     const void *bytes, size_t length)
{
    uint8_t head[512] = {0};
    static const uint8_t zeros[512];
    assert_true(name_length <= 100);
    memcpy(head, name, name_length);
    (void)snprintf((char *)head + 100, 8, "%07o", 0644u);
    (void)snprintf((char *)head + 108, 8, "%07o", 0u);
    (void)snprintf((char *)head + 116, 8, "%07o", 0u);
    (void)snprintf((char *)head + 124, 12, "%011zo", length);
    (void)snprintf((char *)head + 136, 12, "%011o", 0u);
    memset(head + 148, ' ', 8);
    head[156] = (uint8_t)type;
    if (type == '1' || type == '2')
        memcpy(head + 157, "target", 6);
    memcpy(head + 257,
           "ustar\0"
           "00",
           8);
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof head; i++)
        sum += head[i];
    (void)snprintf((char *)head + 148, 8, "%06o", sum);
    assert_int_equal(fwrite(head, 1, 512, tar->file), 512);
    assert_int_equal(fwrite(bytes, 1, length, tar->file), length);
    const size_t pad = (512 - length % 512) % 512;
    assert_int_equal(fwrite(zeros, 1, pad, tar->file), pad);
}

void fixture_tar_end(fixture_tar *tar)
{
    static const uint8_t zeros[1024];
    assert_int_equal(fwrite(zeros, 1, sizeof zeros, tar->file), sizeof zeros);
    assert_int_equal(fclose(tar->file), 0);
}

void fixture_shell(const char *folder, const char *command)
{
    char line[2000];
    (void)snprintf(line, sizeof line, "cd '%s' && %s", folder, command);
    if (system(line) != 0)
        fail_msg("failed: %s", line);
}
