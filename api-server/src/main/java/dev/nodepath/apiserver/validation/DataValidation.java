package dev.nodepath.apiserver.validation;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** ConfigMaps and Secrets. */
final class DataValidation {
    private static final int BYTES_MAX = 1024 * 1024;
    private static final String DATA = "data";
    private static final String ACCOUNT = "kubernetes.io/service-account.name";
    private static final Map<String, List<String>> KEYS = Map.of(
            "kubernetes.io/tls", List.of("tls.crt", "tls.key"),
            "kubernetes.io/ssh-auth", List.of("ssh-privatekey"),
            "kubernetes.io/dockercfg", List.of(".dockercfg"),
            "kubernetes.io/dockerconfigjson", List.of(".dockerconfigjson"));

    private DataValidation() {}

    static void configMap(ObjectField map, Optional<ObjectField> before) {
        keys(map, List.of(DATA, "binaryData"));
        Set<String> texts = new HashSet<>(map.at(DATA).names());
        for (String key : map.at("binaryData").names()) {
            if (texts.contains(key)) {
                map.at(DATA).key(key).showing(TextNode.valueOf(key)).invalid("duplicate of key present in data");
            }
        }
        before.ifPresent(old -> fixed(map, old, List.of(DATA, "binaryData")));
    }

    static void secret(ObjectField secret, Optional<ObjectField> before) {
        keys(secret, List.of(DATA));
        for (String key : KEYS.getOrDefault(secret.at("type").text(), List.of())) {
            if (secret.at(DATA).value().path(key).isMissingNode()) {
                secret.at(DATA).key(key).required("");
            }
        }
        switch (secret.at("type").text()) {
            case "kubernetes.io/service-account-token" ->
                secret.at("metadata").at("annotations").key(ACCOUNT).require("");
            case "kubernetes.io/basic-auth" -> {
                List<String> keys = List.of("username", "password");
                if (keys.stream().noneMatch(secret.at(DATA).names()::contains)) {
                    keys.forEach(key -> secret.at(DATA).key(key).required(""));
                }
            }
            default -> {}
        }
        before.ifPresent(old -> {
            CommonValidation.immutable(secret.at("type"), old.at("type"));
            fixed(secret, old, List.of(DATA));
        });
    }

    private static void keys(ObjectField object, List<String> maps) {
        long bytes = 0;
        for (String map : maps) {
            for (String key : object.at(map).names()) {
                ObjectField value = object.at(map).key(key);
                NameFormat.CONFIG_KEY.problems(key).forEach(why -> value.invalid(key, why));
                if (key.equals(".")) {
                    value.invalid(key, "must not be '.'");
                } else if (key.startsWith("..")) {
                    value.invalid(key, key.equals("..") ? "must not be '..'" : "must not start with '..'");
                }
                bytes += value.text().length();
            }
        }
        if (bytes > BYTES_MAX) {
            object.at(maps.get(0)).tooLong(BYTES_MAX);
        }
    }

    private static void fixed(ObjectField object, ObjectField before, List<String> maps) {
        if (!before.at("immutable").value().asBoolean(false)) {
            return;
        }
        String why = "field is immutable when `immutable` is set";
        if (!object.at("immutable").value().asBoolean(false)) {
            object.at("immutable").forbidden(why);
        }
        for (String map : maps) {
            if (!object.at(map).value().equals(before.at(map).value())) {
                object.at(map).forbidden(why);
            }
        }
    }
}
