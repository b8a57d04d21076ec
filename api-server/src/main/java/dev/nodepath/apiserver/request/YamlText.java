package dev.nodepath.apiserver.request;

import com.fasterxml.jackson.databind.JsonNode;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/** Trees as YAML. */
public final class YamlText {
    private static final DumpSettings SETTINGS =
            DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).build();

    private YamlText() {}

    /** A tree as a document. */
    public static String of(JsonNode tree) {
        return new Dump(SETTINGS).dumpToString(Json.MAPPER.convertValue(tree, Object.class));
    }
}
