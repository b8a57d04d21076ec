package dev.nodepath.page;

/** A part with a place of its own on the page, which changes by itself. */
sealed interface Pictured permits PicturedNode, PicturedPod, PicturedService {
    /** Its name, unique among the parts of its kind. */
    String id();
}
