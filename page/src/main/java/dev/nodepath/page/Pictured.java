package dev.nodepath.page;

/** A part of the picture with its own place. Each part changes independently of the others. */
sealed interface Pictured permits PicturedNode, PicturedPod, PicturedService {
    /** Its name, unique among the parts of its kind. */
    String id();
}
