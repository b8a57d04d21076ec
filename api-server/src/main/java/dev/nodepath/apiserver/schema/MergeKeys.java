package dev.nodepath.apiserver.schema;

import dev.nodepath.apiserver.resource.Resource;
import java.util.Optional;

/**
 * How patches merge each field. Follow the fields of an object from {@link #root} with {@link #child}, and ask {@link
 * #of} about each.
 */
public final class MergeKeys {
    private static final Schema SCHEMA = Schema.kubernetes();

    private MergeKeys() {}

    /** The name of the type of a kind's objects, such as {@code core.v1.Pod}. */
    public static String root(Resource resource) {
        return SCHEMA.of(resource).name();
    }

    /**
     * The type of a field's value, of a list's items or of a map's values; empty if it has no fields of its own, or if
     * the field does not exist.
     */
    public static Optional<String> child(String type, String field) {
        return field(type, field).filter(FieldType::isStruct).map(FieldType::element);
    }

    /** Whether a field is a list, a map or one value; empty if there is no such field. */
    public static Optional<FieldType.Container> container(String type, String field) {
        return field(type, field).map(FieldType::container);
    }

    /** How patches treat a field. By default, lists are replaced and objects are merged. */
    public static Traits of(String type, String field) {
        Traits traits = SCHEMA.type(type).map(its -> its.traits(field)).orElse(Traits.NONE);
        return traits.ownership() == Traits.Ownership.DEFAULT && isAtomic(type, field) ? atomic(traits) : traits;
    }

    private static Optional<FieldType> field(String type, String field) {
        return SCHEMA.type(type).map(its -> its.fields().get(field));
    }

    /** Whether a field has a single value, of a type that is atomic. */
    private static boolean isAtomic(String type, String field) {
        return field(type, field)
                .filter(its -> its.container() == FieldType.Container.ONE)
                .flatMap(its -> SCHEMA.type(its.element()))
                .map(its -> its.own().ownership() == Traits.Ownership.ATOMIC)
                .orElse(false);
    }

    private static Traits atomic(Traits traits) {
        return new Traits(
                traits.merged(),
                traits.mergeKey(),
                traits.retainKeys(),
                Traits.Ownership.ATOMIC,
                traits.listKeys(),
                traits.required(),
                traits.goType());
    }
}
