package dev.nodepath.cni.config;

import dev.nodepath.cni.protocol.Dns;
import dev.nodepath.linux.io.RegularFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads a file in the form of {@code resolv.conf(5)}. */
public final class ResolvConf {
    /** The limit of the file, in bytes. */
    private static final int BYTES_MAX = 64 * 1024;

    private ResolvConf() {}

    /** Parses the file. The last domain counts. */
    public static Dns read(Path file) throws IOException {
        String text = new String(RegularFile.read(file, BYTES_MAX), StandardCharsets.UTF_8);
        List<String> nameservers = new ArrayList<>();
        List<String> search = new ArrayList<>();
        List<String> options = new ArrayList<>();
        String domain = "";
        for (String line : text.split("\n", -1)) {
            List<String> words = Arrays.asList(line.strip().split("\\s+", -1));
            if (words.size() < 2 || line.startsWith("#") || line.startsWith(";")) {
                continue;
            }
            List<String> values = words.subList(1, words.size());
            switch (words.get(0)) {
                case "nameserver" -> nameservers.add(values.get(0));
                case "domain" -> domain = values.get(0);
                case "search" -> search.addAll(values);
                case "options" -> options.addAll(values);
                default -> {}
            }
        }
        return new Dns(nameservers, domain, search, options);
    }
}
