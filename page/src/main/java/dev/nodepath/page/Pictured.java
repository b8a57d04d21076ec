package dev.nodepath.page;

/** What has a place of its own on the page, and changes by itself. */
sealed interface Pictured permits PicturedNode, PicturedPod, PicturedService {
    /** Its name, once among the parts of its kind. */
    String id();
}
