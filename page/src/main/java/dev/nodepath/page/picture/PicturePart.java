package dev.nodepath.page.picture;

/** What has a place of its own on the page, and changes by itself. */
public sealed interface PicturePart permits NodePart, PodPart, ServicePart {
    /** Its name, once among the parts of its kind. */
    String id();
}
