"""Text queries as people type them, each with the keywords it is meant to ask for.

Several styles on purpose: the vocabulary's own words, everyday words, whole sentences, and
questions about the scene or the ego vehicle alone. A few ask for what no clip shows.
"""

QUERIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    # an object and what it does, in the vocabulary's own words
    ("bicyclist entering ego path", ("bicyclist", "entering ego path")),
    ("pedestrian straight crossing path", ("pedestrian", "straight crossing path")),
    ("small vehicle oncoming turn across path", ("small vehicle", "oncoming turn across path")),
    ("motorcyclist traveling in same direction", ("motorcyclist", "traveling in same direction")),
    ("large vehicle stationary", ("large vehicle", "stationary")),
    # the same, in everyday words
    ("cyclist entering ego lane", ("bicyclist", "entering ego path")),
    ("bike cutting in front of us", ("bicyclist", "entering ego path")),
    ("person crossing the street", ("pedestrian", "straight crossing path")),
    ("someone steps off the kerb into our lane", ("pedestrian", "entering ego path")),
    ("person standing still at the roadside", ("pedestrian", "stationary")),
    ("a man walking towards us along the road", ("pedestrian", "traveling in opposite direction")),
    ("walker going the same way as we do", ("pedestrian", "traveling in same direction")),
    ("car cutting in", ("small vehicle", "entering ego path")),
    ("car ahead driving in the same direction", ("small vehicle", "traveling in same direction")),
    ("oncoming car in the other lane", ("small vehicle", "traveling in opposite direction")),
    ("taxi turning left across our path", ("small vehicle", "oncoming turn across path")),
    ("parked car", ("small vehicle", "stationary")),
    ("car crossing from the side", ("small vehicle", "straight crossing path")),
    ("truck merging into ego lane", ("large vehicle", "entering ego path")),
    ("oncoming bus", ("large vehicle", "traveling in opposite direction")),
    ("following a lorry", ("large vehicle", "traveling in same direction")),
    ("truck turning across in front of ego", ("large vehicle", "oncoming turn across path")),
    (
        "bus crossing the junction ahead",
        ("large vehicle", "straight crossing path", "intersection"),
    ),
    ("motorbike coming the other way", ("motorcyclist", "traveling in opposite direction")),
    ("motorcycle swerves into our lane", ("motorcyclist", "entering ego path")),
    ("motorcyclist crossing the road", ("motorcyclist", "straight crossing path")),
    ("cyclist riding ahead of us", ("bicyclist", "traveling in same direction")),
    ("cyclist crossing", ("bicyclist", "straight crossing path")),
    ("cyclist turning across our path", ("bicyclist", "oncoming turn across path")),
    ("animal running across the road", ("other", "straight crossing path")),
    # one keyword only
    ("bollards", ("bollard",)),
    ("barrier or cones blocking the way", ("stationary object",)),
    ("motorcyclists", ("motorcyclist",)),
    ("trucks and buses", ("large vehicle",)),
    ("something crosses our path", ("straight crossing path",)),
    # with the scene
    (
        "truck parked at the kerb at night in the rain",
        ("large vehicle", "stationary", "nighttime", "rainy"),
    ),
    ("pedestrian on a crosswalk at night", ("pedestrian", "crosswalk", "nighttime")),
    ("cyclist in the city in the rain", ("bicyclist", "urban", "rainy")),
    ("car cutting in on the motorway", ("small vehicle", "entering ego path", "highway")),
    ("motorcycle on a sunny highway", ("motorcyclist", "highway", "sunny")),
    ("pedestrian walking through a parking lot", ("pedestrian", "parking lot/depot")),
    ("truck on a bridge", ("large vehicle", "bridge/tunnel")),
    ("car in a tunnel", ("small vehicle", "bridge/tunnel")),
    ("cyclist on a curved road", ("bicyclist", "curved road")),
    ("overcast day on the test track", ("test track", "overcast", "daytime")),
    ("night drive through the city", ("nighttime", "urban")),
    ("rainy highway", ("highway", "rainy")),
    ("driving uphill", ("positive road grade",)),
    ("steep descent ahead", ("negative road grade",)),
    ("street with parked cars at night", ("street parked vehicle", "nighttime")),
    # what we do
    ("we change lanes on the motorway", ("ego lane change", "highway")),
    ("ego turning at an intersection", ("ego turning", "intersection")),
    ("we turn while a pedestrian crosses", ("ego turning", "pedestrian", "straight crossing path")),
    (
        "going straight over a junction in the rain",
        ("proceeding straight", "intersection", "rainy"),
    ),
    # where the actor is
    ("truck right in front of us", ("large vehicle", "corridor front")),
    ("car in the lane to our left", ("small vehicle", "left adjacent front")),
    ("cyclist on the right ahead", ("bicyclist", "right adjacent front")),
    ("motorcycle right beside us on the left", ("motorcyclist", "left adjacent")),
    # nothing to be found: the sample has no such clip
    ("pedestrian on the highway", ("pedestrian", "highway")),
    ("bollards in a tunnel", ("bollard", "bridge/tunnel")),
    ("animal crossing while we change lanes", ("other", "ego lane change")),
)
