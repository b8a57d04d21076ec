package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.kubelet.NodeFolder;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds what deleted Pods left on a node: host ends of veth pairs and reserved addresses. */
record Leftovers(NetworkNamespace node, NodeFolder files) {

    List<String> find() throws IOException {
        List<String> left = new ArrayList<>();
        node.links().stream()
                .map(Link::name)
                .filter(name -> name.startsWith("veth"))
                .forEach(left::add);
        Path addresses = files.addresses();
        if (Files.isDirectory(addresses)) {
            try (Stream<Path> reserved = Files.list(addresses)) {
                reserved.map(file -> file.getFileName().toString())
                        .filter(name -> Character.isDigit(name.charAt(0)))
                        .forEach(left::add);
            }
        }
        return left;
    }
}
